import type { Log } from '../../../ports/records'
import { Guest } from '../guest-agent/guest'
import type { Machine } from './machine'
import type { Standing } from './standing'

/** The guest agent of a machine. A possible freeze is stored in the record of the machine, for the next server process. */
export const guestOf = (machine: Machine, known: Standing, log: Log): Guest =>
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
