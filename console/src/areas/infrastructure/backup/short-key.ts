import { shortenMiddle } from '../../../lib/ids'

/** Shortens a public key to its beginning and end, which are enough to tell keys apart: `age1qf3x…8v0kx9k2`. */
export const shortKey = (recipient: string) => shortenMiddle(recipient, 17)
