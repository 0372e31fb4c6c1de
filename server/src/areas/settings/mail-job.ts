import { mailJob } from '../../mail/mailer'
import { sealedMailJob } from '../../mail/sealed-mail'
import { job } from '../../module'

/** Sends a queued email. If the job is interrupted, the email may be sent twice with the same message ID. */
export const mailing = job({
  ...mailJob,
  pool: 'follow',
  run: ({ args, task_id, state }, { mailer }) => mailer.attempt(args, task_id, Number(state['tried'] ?? 0)),
})

/** Sends a queued email with encrypted content. */
export const sealedMailing = job({
  ...sealedMailJob,
  pool: 'follow',
  run: ({ args, task_id, state }, { mailer }) => mailer.attemptSealed(args, task_id, Number(state['tried'] ?? 0)),
})
