function total(list) { // Neumaier's sum
  let sum = 0;
  let rest = 0;
  for (const x of list) {
    const t = sum + x;
    rest += Math.abs(sum) >= Math.abs(x) ? sum - t + x : x - t + sum;
    sum = t;
  }
  return sum + rest;
}
