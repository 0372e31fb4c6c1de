import process from 'node:process'

/** `npm run bench -- --quick`: less is measured, to see that it works; the bounds hold all the same. */
export const quick = process.env['MAINSTAY_BENCH'] === 'quick'
