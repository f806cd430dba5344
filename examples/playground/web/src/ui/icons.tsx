import ArrowUp from "lucide/dist/esm/icons/arrow-up.mjs";
import Bell from "lucide/dist/esm/icons/bell.mjs";
import ChartLine from "lucide/dist/esm/icons/chart-line.mjs";
import Check from "lucide/dist/esm/icons/check.mjs";
import ChevronDown from "lucide/dist/esm/icons/chevron-down.mjs";
import ChevronLeft from "lucide/dist/esm/icons/chevron-left.mjs";
import ChevronRight from "lucide/dist/esm/icons/chevron-right.mjs";
import Copy from "lucide/dist/esm/icons/copy.mjs";
import Cpu from "lucide/dist/esm/icons/cpu.mjs";
import Database from "lucide/dist/esm/icons/database.mjs";
import Ellipsis from "lucide/dist/esm/icons/ellipsis.mjs";
import Hand from "lucide/dist/esm/icons/hand.mjs";
import House from "lucide/dist/esm/icons/house.mjs";
import Link from "lucide/dist/esm/icons/link.mjs";
import LogOut from "lucide/dist/esm/icons/log-out.mjs";
import MessageSquare from "lucide/dist/esm/icons/message-square.mjs";
import Moon from "lucide/dist/esm/icons/moon.mjs";
import Play from "lucide/dist/esm/icons/play.mjs";
import Plus from "lucide/dist/esm/icons/plus.mjs";
import Search from "lucide/dist/esm/icons/search.mjs";
import Server from "lucide/dist/esm/icons/server.mjs";
import Settings from "lucide/dist/esm/icons/settings.mjs";
import ShieldCheck from "lucide/dist/esm/icons/shield-check.mjs";
import Square from "lucide/dist/esm/icons/square.mjs";
import SunMoon from "lucide/dist/esm/icons/sun-moon.mjs";
import Sun from "lucide/dist/esm/icons/sun.mjs";
import Wrench from "lucide/dist/esm/icons/wrench.mjs";
import X from "lucide/dist/esm/icons/x.mjs";
import { h } from "preact";

/** The icons of the page by what they stand for; only these are bundled. */
const icons: Record<string, [string, Record<string, string>][]> = {
  home: House,
  tools: Wrench,
  servers: Server,
  documents: Database,
  chat: MessageSquare,
  approvals: ShieldCheck,
  observe: ChartLine,
  settings: Settings,
  search: Search,
  bell: Bell,
  sun: Sun,
  moon: Moon,
  auto: SunMoon,
  copy: Copy,
  plus: Plus,
  close: X,
  up: ArrowUp,
  down: ChevronDown,
  fold: ChevronLeft,
  unfold: ChevronRight,
  more: Ellipsis,
  hand: Hand,
  play: Play,
  stop: Square,
  link: Link,
  model: Cpu,
  out: LogOut,
  check: Check,
};

/** The names of all icons. */
export const iconNames = Object.keys(icons);

/** Icon is a picture beside a text, and tells nothing by itself. */
export function Icon({ name }: { name: string }) {
  return (
    <svg class="ico" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {icons[name]?.map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}
