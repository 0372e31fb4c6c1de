import type { Log } from '../../../ports/records'
import { Guest, type GuestOf } from '../guest-agent/guest'
import type { Standing } from './standing'

type MachineParts = Pick<GuestOf, 'id' | 'qmp' | 'socket'> & { readonly process: object | null }

/** The guest agent of a machine. A possible freeze is stored in the record of the machine, for the next server process. */
export const guestOf = (machine: MachineParts, known: Standing, log: Log): Guest =>
  new Guest(
    {
      id: machine.id,
      qmp: () => machine.qmp(),
      socket: (name) => machine.socket(name),
      get mayBeFrozen() {
        return machine.process !== null && known.record.mayBeFrozen === true
      },
      noteFreeze: (mayBeFrozen) => known.write({ mayBeFrozen }),
    },
    log,
  )
