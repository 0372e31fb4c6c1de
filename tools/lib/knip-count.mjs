/** Knip's own reporters do not say at how many files it looked. @type {import('knip').Reporter} */
export default function count({ counters, write }) {
  write?.(`Finished on ${counters.processed} files\n`)
}
