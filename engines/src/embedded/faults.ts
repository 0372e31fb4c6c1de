import { Problem, problem, type ProblemCode } from '@mainstay/contract/core/problems'
import { diskFull, ImageFault } from '../image-files/image-fault'
import { MachineFault } from './hypervisor'

const codes: Partial<Record<MachineFault['code'], ProblemCode>> = {
  guest_busy: 'guest_busy',
  disk_full: 'disk_full',
  not_running: 'invalid_state',
  no_memory: 'no_valid_host',
}

/** A write that found no space, in whatever words, is a fault that people know. */
const known = (error: unknown): unknown =>
  ['ENOSPC', 'EDQUOT'].includes((error as { code?: string } | null)?.code ?? '') ? diskFull() : error

/** What people are told of a failure. What nobody foresaw is in the log, not on the screen. */
export function faultText(failure: unknown): string {
  const error = known(failure)
  if (error instanceof Problem || error instanceof MachineFault || error instanceof ImageFault) return error.message
  return 'An internal error occurred; the log tells more'
}

export function faultCode(failure: unknown): string {
  const error = known(failure)
  return error instanceof Problem || error instanceof MachineFault || error instanceof ImageFault
    ? error.code
    : 'unknown'
}

/** A fault of an image or a machine as an answer to the call that met it. */
export function asProblem(failure: unknown): unknown {
  const error = known(failure)
  if (error instanceof ImageFault)
    return problem('compute.image_refused', { reason: error.message }, { code: error.code })
  if (!(error instanceof MachineFault)) return error
  return problem('compute.machine_refused', { reason: error.message }, { code: codes[error.code] ?? 'conflict' })
}
