// The product of a key may pass 2^53, so its lower 32 bits are taken by an integer multiplication.
const key = (i) => Math.imul(i, 2654435761) >>> 0;

function insertAndLookUp(n) {
  const map = new Map();
  for (let i = 0; i < n; i++) map.set(key(i), i);
  let sum = 0;
  for (let i = 0; i < n; i++) sum += map.get(key(i));
  return sum;
}

const n = Number(process.argv[2]);
const start = process.hrtime.bigint();
const answer = insertAndLookUp(n);
console.log(`${Number(process.hrtime.bigint() - start) / n} ${answer}`);
