import { Problem, type ProblemCode, problem, cloudSays } from '@mainstay/contract/core/problems'
import { says } from '@mainstay/contract/core/said'
import type { Service } from './service-client'
import type { DeadlinePassed } from './deadline'
import { codeOfNetworkFault } from './network-faults'
import type { TransportError } from './transport-error'
import { codeOfBalancerFault } from './balancer-faults'
import { quotaIn } from './quota-texts'
import { type Reason, reasonIn } from './reasons'
import { cloudRequestId } from './request-ids'
import type { Answer } from './retry'

/** Returns the details of the response for the `data` of a Problem. */
export const facts = (service: Service, answer: Pick<Answer, 'status' | 'headers'> | null) => ({
  service,
  status: answer?.status ?? null,
  cloud_request_id: answer ? cloudRequestId(answer.headers) : null,
})

/** Errors identified by their message, because their status is ambiguous. */
const byWords: readonly { status: readonly number[]; words: RegExp; code: ProblemCode }[] = [
  { status: [400, 409, 500], words: /No valid host/i, code: 'no_valid_host' },
  {
    status: [400, 409],
    words: /IpAddress(InUse|AlreadyAllocated)|Fixed IP .*already in use|address .*in use/i,
    code: 'ip_address_in_use',
  },
  { status: [403], words: /protected and cannot be deleted/i, code: 'image_protected' },
  { status: [409], words: /Image .*could not be deleted because it is in use/i, code: 'image_in_use' },
  { status: [409], words: /already exists|duplicate|the same name/i, code: 'duplicate_name' },
  { status: [409], words: /\w+InUse\b|\bin use\b/i, code: 'in_use' },
  {
    status: [409],
    words: /while it is in|\bis locked\b|status transition|Cannot '|vm_state|task_state|\bstatus\b|\bstate\b/i,
    code: 'invalid_state',
  },
  // Cinder returns 400 for an operation that the current state does not allow
  {
    status: [400],
    words: /^Invalid (volume|snapshot|backup)\b.*\b(status|state|attached|in-use)\b/i,
    code: 'invalid_state',
  },
]

const byStatus: Record<number, ProblemCode> = {
  400: 'validation',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'unsupported',
  406: 'unsupported',
  409: 'conflict',
  410: 'not_found',
  412: 'changed_meanwhile',
  413: 'too_large',
  415: 'unsupported_media',
  422: 'validation',
  501: 'unsupported',
}

function codeOf(service: Service, status: number, { text, type }: Reason): ProblemCode | undefined {
  const told = `${text} ${type ?? ''}`
  const ofNetworks = service === 'network' && status < 500 ? codeOfNetworkFault(type, text) : undefined
  if (ofNetworks) return ofNetworks
  const ofBalancers = service === 'load-balancer' ? codeOfBalancerFault(status, text) : undefined
  if (ofBalancers) return ofBalancers
  return byWords.find((one) => one.status.includes(status) && one.words.test(told))?.code ?? byStatus[status]
}

/** Maps an error response to a Problem. `hidden` lists strings that must not be shown, such as the token. */
export function refusal(service: Service, answer: Answer, hidden: readonly string[]): Problem {
  const data = facts(service, answer)
  const { status } = answer
  if (status >= 300 && status < 400) {
    return problem('core.service_redirects', { service, status }, { data })
  }
  const reason = reasonIn(answer.text, hidden)
  if (!reason) return unexplained(service, answer)
  const quota = [400, 403, 409, 413, 429].includes(status) ? quotaIn(reason.text, reason.type) : null
  if (quota) return cloudSays(reason.text, { code: 'quota_exceeded', data: { ...data, ...quota } })
  const code = codeOf(service, status, reason)
  if (code) return cloudSays(reason.text, { code, data })
  return problem('core.service_failed', { service, reason: reason.text, status }, { data })
}

/**
 * Returns the error for an error response in an unknown format. A response without a request ID does not come from the
 * service but from a proxy in front of it, so a 404 says nothing about the object.
 */
function unexplained(service: Service, answer: Answer): Problem {
  const data = facts(service, answer)
  const code = data.cloud_request_id === null && answer.status !== 401 ? undefined : byStatus[answer.status]
  return problem(
    'core.service_without_reason',
    { service, status: answer.status },
    { code: code ?? 'engine_unavailable', data },
  )
}

/** A successful response with invalid content; `what` describes the defect without quoting the content. */
export class InvalidResponse extends Problem {
  readonly what: string
  constructor(service: Service, answer: Answer, what: string, cause?: unknown) {
    super('engine_unavailable', says('core.service_not_understood', { service, what }), {
      data: facts(service, answer),
      cause,
    })
    this.what = what
  }
}
export const invalidResponse = (...given: ConstructorParameters<typeof InvalidResponse>): Problem =>
  new InvalidResponse(...given)

/**
 * Returns the details for a Problem without a response. `isLost`: whether the command may have arrived before the
 * connection was lost.
 */
const silence = (service: Service, isLost: boolean, cause: Error) => ({
  data: { ...facts(service, null), may_have_happened: isLost },
  cause,
})
const lost = (isLost: boolean) => (isLost ? 'yes' : 'no')

export function unreachable(service: Service, cause: TransportError, isCommand: boolean): Problem {
  const isLost = isCommand && cause.mayHaveArrived
  const values = { service, reason: cause.reason, lost: lost(isLost) }
  return problem('core.service_unreachable', values, silence(service, isLost, cause))
}

export const late = (service: Service, cause: DeadlinePassed, isCommand: boolean): Problem =>
  problem(
    'core.service_late',
    { service, seconds: cause.afterMs / 1000, lost: lost(isCommand) },
    silence(service, isCommand, cause),
  )
