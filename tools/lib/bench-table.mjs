/**
 * @typedef {import('../../bench/protocol.ts').Row} Row
 * @typedef {{ max?: number, min?: number, maxRatio?: number, minRatio?: number }} Bound
 * @typedef {Record<string, Bound>} Baseline by row name
 */

/** @param {number} value */
const short = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3))

/** @param {Row} row */
export const ratioOf = ({ value, against }) => (against ? value / against.value : undefined)

/**
 * Compares a row with its bound. Returns a description of each violation.
 *
 * @param {Row} row
 * @param {Bound} bound
 * @returns {string[]}
 */
export function broken(row, { max, min, maxRatio, minRatio }) {
  const ratio = ratioOf(row)
  const faults = []
  // comparisons are negated so that NaN violates every bound
  if (max !== undefined && !(row.value <= max)) faults.push(`${short(row.value)} ${row.unit} > ${max}`)
  if (min !== undefined && !(row.value >= min)) faults.push(`${short(row.value)} ${row.unit} < ${min}`)
  if (maxRatio !== undefined && !((ratio ?? NaN) <= maxRatio)) faults.push(`ratio ${short(ratio ?? NaN)} > ${maxRatio}`)
  if (minRatio !== undefined && !((ratio ?? NaN) >= minRatio)) faults.push(`ratio ${short(ratio ?? NaN)} < ${minRatio}`)
  return faults
}

/**
 * @param {readonly Row[]} rows
 * @param {Baseline} baseline
 * @param {boolean} whole true if all benches ran, so that every bound requires a measurement
 * @returns {{ lines: string[], faults: string[] }}
 */
export function judge(rows, baseline, whole) {
  const width = Math.max(10, ...rows.map(({ name }) => name.length))
  const lines = rows.map((row) => {
    const ratio = ratioOf(row)
    const compared = row.against ? `${short(row.against.value)} ${row.unit} ${row.against.name}` : ''
    const bound = Object.entries(baseline[row.name] ?? {})
      .map(([kind, value]) => `${kind} ${value}`)
      .join(', ')
    const value = `${short(row.value)} ${row.unit}`
    return `${row.name.padEnd(width)}${value.padStart(16)}${(ratio === undefined ? '' : `× ${short(ratio)}`).padStart(10)}  ${[compared && `against ${compared}`, bound && `(${bound})`].filter(Boolean).join(' ')}`
  })
  const faults = rows.flatMap((row) => broken(row, baseline[row.name] ?? {}).map((fault) => `${row.name}: ${fault}`))
  const measured = new Set(rows.map(({ name }) => name))
  if (rows.length === 0) faults.push('nothing was measured')
  if (measured.size < rows.length) faults.push('two rows have the same name')
  if (whole) {
    for (const name of Object.keys(baseline))
      if (!measured.has(name)) faults.push(`${name}: has a bound but was not measured`)
  }
  return { lines, faults }
}
