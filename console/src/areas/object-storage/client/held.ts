import { asProblem, CallProblem } from '../../../api/problem'
import { textsNow } from '../../../i18n/use-t'
import type { Tagged } from '../keys'
import { sendS3 } from './send'

/* Optimistic locking for bucket and object settings documents. */

/** `tag`: the ETag of the document; null if S3 returns none or the document does not exist. */
export interface HeldDocument {
  text: string | null
  tag: string | null
}

/** Reads a settings document. `text` is null if none was ever saved, which S3 reports with the code `missing`. */
export async function readDocument(
  { bucket, key, version }: Tagged,
  word: string,
  missing: string,
  signal?: AbortSignal,
): Promise<HeldDocument> {
  try {
    const reply = await sendS3({ verb: 'GET', bucket, key, query: { [word]: '', versionId: version }, signal })
    return { text: await reply.text(), tag: reply.headers.get('etag') }
  } catch (thrown) {
    if (asProblem(thrown).code === missing) return { text: null, tag: null }
    throw thrown
  }
}

const changed = () =>
  new CallProblem({
    kind: 'validation',
    status: 412,
    code: 'Changed',
    message: textsNow('objectStorage')('fault.settingChanged'),
  })

/**
 * Changes a document only if it still matches `held`. Rejects with `Changed` if someone else has changed it. If S3
 * returned no ETag for the document, reads it again just before the change.
 */
export async function changeDocument<Answer>(
  held: HeldDocument | undefined,
  read: () => Promise<HeldDocument>,
  change: (condition: Record<string, string>) => Promise<Answer>,
): Promise<Answer> {
  if (!held) return change({})
  if (held.tag === null && (await read()).text !== held.text) throw changed()
  try {
    return await change(
      held.tag !== null ? { 'if-match': held.tag } : held.text === null ? { 'if-none-match': '*' } : {},
    )
  } catch (thrown) {
    throw asProblem(thrown).status === 412 ? changed() : thrown
  }
}
