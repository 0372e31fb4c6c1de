import process from 'node:process'

/** `npm run bench -- --quick`: a shorter run that checks whether the benches work. The bounds still apply. */
export const quick = process.env['MAINSTAY_BENCH'] === 'quick'

/** `npm run bench -- NAME --whole`: the full amounts from the design, which take too long for a regular run. */
export const whole = process.env['MAINSTAY_BENCH'] === 'whole'
