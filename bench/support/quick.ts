import process from 'node:process'

/** `npm run bench -- --quick`: less is measured, to see that it works; the bounds hold all the same. */
export const quick = process.env['MAINSTAY_BENCH'] === 'quick'

/** `npm run bench -- NAME --whole`: as much as the design asks, where that takes longer than a usual run may. */
export const whole = process.env['MAINSTAY_BENCH'] === 'whole'
