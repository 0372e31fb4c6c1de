import { job } from '../../module'
import { trapJob } from '../../snmp/trap-sender'

/** Sends queued traps to one receiver. If the job is interrupted, they may be sent twice. */
export const trapping = job({
  ...trapJob,
  pool: 'follow',
  run: ({ args, state }, { traps }) => traps.attempt(args, Number(state['tried'] ?? 0)),
})
