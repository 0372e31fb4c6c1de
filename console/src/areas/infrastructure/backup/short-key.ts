import { shortenMiddle } from '../../../lib/ids'

/** The beginning and the end of a public key, which tell keys apart: `age1qf3x…8v0kx9k2`. */
export const shortKey = (recipient: string) => shortenMiddle(recipient, 17)
