import { readFileSync } from 'node:fs'
import { problem } from '@mainstay/contract/core/problems'

/** The configured certificate verification. */
export interface TlsChoice {
  verify?: boolean
  caFile?: string
}

/** Certificate verification as TLS options for Node. */
export interface Trust {
  rejectUnauthorized: boolean
  ca?: string
}

/** Throws a `not_configured` error if the CA file cannot be read. */
export const trustIn = ({ verify = true, caFile }: TlsChoice): Trust => ({
  rejectUnauthorized: verify,
  ...(caFile && { ca: authorityIn(caFile) }),
})

function authorityIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw problem('core.unreadable_authorities', { file }, { cause })
  }
}
