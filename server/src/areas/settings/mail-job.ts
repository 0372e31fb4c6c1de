import { mailJob } from '../../mail/mailer'
import { sealedMailJob } from '../../mail/sealed-mail'
import { job } from '../../module'

/** One mail of the queue. A run that was cut off after the mail server took it sends the same mail, by its id, once more. */
export const mailing = job({
  ...mailJob,
  pool: 'follow',
  run: ({ args, task_id, state }, { mailer }) => mailer.attempt(args, task_id, Number(state['tried'] ?? 0)),
})

/** The same of a mail whose content is sealed. */
export const sealedMailing = job({
  ...sealedMailJob,
  pool: 'follow',
  run: ({ args, task_id, state }, { mailer }) => mailer.attemptSealed(args, task_id, Number(state['tried'] ?? 0)),
})
