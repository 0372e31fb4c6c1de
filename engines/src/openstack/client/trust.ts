import { readFileSync } from 'node:fs'
import { problem } from '@mainstay/contract/core/problems'

/** Whose certificates are accepted, as it is configured. */
export interface TlsChoice {
  verify?: boolean
  caFile?: string
}

/** The same as Node's connections take it. */
export interface Trust {
  rejectUnauthorized: boolean
  ca?: string
}

/** Throws `not_configured` where the file of authorities cannot be read. */
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
