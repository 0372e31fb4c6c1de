import { createHash } from 'node:crypto'
import { S3Error } from '../../errors'
import type { S3Call } from '../call'

/* Two people who change the same setting: AWS has no condition for that, and the last one wins. Here whoever sends one is told. */

/** The tag of a setting as it is; null where it is not set. */
const tagOf = (value: unknown): string | null =>
  value === undefined || value === null ? null : `"${createHash('md5').update(JSON.stringify(value)).digest('hex')}"`

/** What is told with a setting, so that it can be replaced on condition. */
export const etagHeader = (value: unknown): Record<string, string> => ({ etag: tagOf(value) ?? '' })

/** Throws `PreconditionFailed` where a setting is not what whoever replaces it has seen: `If-Match` its tag, `If-None-Match: *` none. */
export function checkIfMatch({ headers }: Pick<S3Call, 'headers'>, held: unknown): void {
  const [match, none] = [headers['if-match'], headers['if-none-match']]
  const tag = tagOf(held)
  const names = (text: string) => tag !== null && text.split(',').some((it) => ['*', tag].includes(it.trim()))
  if ((match !== undefined && !names(match)) || (none !== undefined && names(none)))
    throw new S3Error('PreconditionFailed', 'The setting is not what the condition names: it was changed meanwhile')
}
