import { Button, Dialog } from "../../ui/parts";

/** OutsidePicture asks before a picture of another host is opened: its address may tell that host something. */
export function OutsidePicture({ address, onClose }: { address: string; onClose: () => void }) {
  const host = new URL(address).host;
  return (
    <Dialog tid="outside-dialog" title={"Open a picture of " + host + "?"} onClose={onClose}>
      <p>
        The model wrote this address. Whoever runs {host} sees that you open it, and everything that the
        address holds. This page itself loads nothing from elsewhere: the picture opens in a tab of its own,
        without telling where you come from.
      </p>
      <pre class="code" tabIndex={0} data-testid="outside-address">
        {address}
      </pre>
      <footer>
        <Button tid="outside-cancel" onClick={onClose}>
          Leave it
        </Button>
        <Button
          tid="outside-open"
          onClick={() => (window.open(address, "_blank", "noopener,noreferrer"), onClose())}
        >
          Open {host}
        </Button>
      </footer>
    </Dialog>
  );
}
