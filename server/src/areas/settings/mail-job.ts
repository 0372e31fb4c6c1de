import { mailJob } from '../../mail/mailer'
import { sealedMailJob } from '../../mail/sealed-mail'
import { job } from '../../module'

/** Sends a queued mail. After an interruption, the mail may be sent twice with the same message ID. */
export const mailing = job({
  ...mailJob,
  pool: 'follow',
  run: ({ args, task_id, state }, { mailer }) => mailer.attempt(args, task_id, Number(state['tried'] ?? 0)),
})

/** The same for a mail with encrypted content. */
export const sealedMailing = job({
  ...sealedMailJob,
  pool: 'follow',
  run: ({ args, task_id, state }, { mailer }) => mailer.attemptSealed(args, task_id, Number(state['tried'] ?? 0)),
})
