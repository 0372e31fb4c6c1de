/** Prints the number of checked files, which Knip's own reporters omit. @type {import('knip').Reporter} */
export default function count({ counters, write }) {
  write?.(`Finished on ${counters.processed} files\n`)
}
