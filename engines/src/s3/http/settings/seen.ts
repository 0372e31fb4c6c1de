import { createHash } from 'node:crypto'
import { S3Error } from '../../errors'
import type { S3Call } from '../call'

/* Conditional updates of bucket settings. In AWS, the last write always wins; here, clients may send a condition. */

/** Returns the ETag of the current value of a setting, or null if it is not set. */
const tagOf = (value: unknown): string | null =>
  value === undefined || value === null ? null : `"${createHash('md5').update(JSON.stringify(value)).digest('hex')}"`

/** Returns the ETag header of a setting, for conditional updates. */
export const etagHeader = (value: unknown): Record<string, string> => ({ etag: tagOf(value) ?? '' })

/** Throws `PreconditionFailed` if the setting does not match `If-Match`, or exists despite `If-None-Match: *`. */
export function checkIfMatch({ headers }: Pick<S3Call, 'headers'>, held: unknown): void {
  const [match, none] = [headers['if-match'], headers['if-none-match']]
  const tag = tagOf(held)
  const names = (text: string) => tag !== null && text.split(',').some((it) => ['*', tag].includes(it.trim()))
  if ((match !== undefined && !names(match)) || (none !== undefined && names(none)))
    throw new S3Error('PreconditionFailed', 'The setting does not match the condition: it was changed in the meantime')
}
