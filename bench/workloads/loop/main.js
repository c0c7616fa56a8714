function sumOfSums(n) {
  let total = 0;
  for (let i = 0; i < n; i++) {
    let inner = 0;
    for (let j = 0; j < n; j++) inner += j;
    total += inner;
  }
  return total;
}

const n = Number(process.argv[2]);
const start = process.hrtime.bigint();
const answer = sumOfSums(n);
console.log(`${Number(process.hrtime.bigint() - start) / n / n} ${answer}`);
