/** money writes millionths of a US dollar. */
export const money = (micros: number) =>
  (micros / 1e6).toLocaleString("en", { style: "currency", currency: "USD", maximumFractionDigits: 6 });
