import type { Endpoint, ReplyOf } from '@mainstay/contract/core/endpoint'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { s3Archives } from '@mainstay/contract/object-storage/s3-files'
import { addressOf } from '../../../api/address'
import { call, type CallInput, type CallOptions } from '../../../api/call'
import { CallProblem } from '../../../api/problem'
import { handleUnavailable } from '../availability'
import { isAllTenants, sessionNow } from '../../../session/session'
import { faultText } from './problem'

/** Calls an API endpoint that uses S3, and translates S3 errors. */
export async function callS3<E extends Endpoint>(
  endpoint: E,
  input: CallInput<E>,
  options: CallOptions = {},
): Promise<ReplyOf<E>> {
  try {
    return await call(endpoint, input, options)
  } catch (thrown) {
    handleUnavailable(thrown)
    const code = thrown instanceof CallProblem ? thrown.data['code'] : undefined
    if (!(thrown instanceof CallProblem) || typeof code !== 'string') throw thrown
    const { kind, status, message, requestId, fields } = thrown
    throw new CallProblem({ kind, status, code, message: faultText(code, message), requestId, fields })
  }
}

/** URL from which the browser downloads a prepared archive. */
export function archiveAddress(id: string): string {
  const session = sessionNow()
  const project = isAllTenants(session) ? undefined : session.project?.id
  // the session cookie does not identify a project
  const query = project === undefined ? '' : `?project_id=${encodeURIComponent(project)}`
  return addressOf(`${fillPath(s3Archives.download.path, { id })}${query}`)
}
