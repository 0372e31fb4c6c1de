import { Problem, problem, type ProblemCode } from '@mainstay/contract/core/problems'
import { diskFull, ImageFault } from '../image-files/image-fault'
import { MachineFault } from './hypervisor'

const codes: Partial<Record<MachineFault['code'], ProblemCode>> = {
  guest_busy: 'guest_busy',
  disk_full: 'disk_full',
  not_running: 'invalid_state',
  no_memory: 'no_valid_host',
}

/** Maps a write that failed for lack of space to the fault `disk_full`. */
const known = (error: unknown): unknown =>
  ['ENOSPC', 'EDQUOT'].includes((error as { code?: string } | null)?.code ?? '') ? diskFull() : error

/** Returns the message for users. Details of unexpected errors appear only in the log. */
export function faultText(failure: unknown): string {
  const error = known(failure)
  if (error instanceof Problem || error instanceof MachineFault || error instanceof ImageFault) return error.message
  return 'An internal error occurred. See the server log'
}

export function faultCode(failure: unknown): string {
  const error = known(failure)
  return error instanceof Problem || error instanceof MachineFault || error instanceof ImageFault
    ? error.code
    : 'unknown'
}

/** Converts an image or machine fault into the problem returned by the API. */
export function asProblem(failure: unknown): unknown {
  const error = known(failure)
  if (error instanceof ImageFault)
    return problem('compute.image_refused', { reason: error.message }, { code: error.code })
  if (!(error instanceof MachineFault)) return error
  return problem('compute.machine_refused', { reason: error.message }, { code: codes[error.code] ?? 'conflict' })
}
