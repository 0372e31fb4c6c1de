import process from 'node:process'

/** `npm run bench -- --quick`: a shorter run to check that the benches work. The bounds still apply. */
export const quick = process.env['MAINSTAY_BENCH'] === 'quick'

/** `npm run bench -- NAME --whole`: the full amount from the design, which takes too long for a usual run. */
export const whole = process.env['MAINSTAY_BENCH'] === 'whole'
