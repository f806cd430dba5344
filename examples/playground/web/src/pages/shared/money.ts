/** money writes millionths of a US dollar; what is less than a cent keeps its digits. */
export function money(micros: number): string {
  const digits = micros !== 0 && Math.abs(micros) < 10_000 ? 6 : micros % 10_000 === 0 ? 2 : 4;
  return (
    "$" +
    (micros / 1_000_000).toLocaleString("en", {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    })
  );
}
