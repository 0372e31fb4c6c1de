import { asProblem, CallProblem } from '../../../api/problem'
import { textsNow } from '../../../i18n/use-t'
import type { Tagged } from '../keys'
import { sendS3 } from './send'

/* A document of a bucket or an object as it was read, so that it is replaced only while it still is that. */

/** `tag`: by which S3 knows the document again; null where it does not tell one, or where there is none. */
export interface HeldDocument {
  text: string | null
  tag: string | null
}

/** A document of a bucket or an object; its text is null where it was never set (`missing`: how S3 says so). */
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
 * Does a change of a document that was read as `held`, with the condition that it is still that. Rejects with `Changed` where somebody
 * else was faster. An S3 that knows no such condition is asked right before.
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
