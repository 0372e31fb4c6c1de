import { useMemo } from 'react'
import { bucketNameFaults } from '@mainstay/contract/object-storage/bucket-names'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import * as z from 'zod'
import { asProblem, CallProblem } from '../../../api/problem'
import { refresh } from '../../../api/use-call'
import { useT, type Translate } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { TextField } from '../../../patterns/form/form-fields'
import { createBucket } from '../client/buckets'
import { s3Query } from '../keys'
import { s3Paths } from '../paths'
import { refreshS3 } from '../use-s3'

/** Reports all problems with a name at once, one sentence each. */
const bucketForm = z.object({
  name: z.string().superRefine((name, context) => {
    const faults = bucketNameFaults(name)
    if (faults.length > 0) context.addIssue({ code: 'custom', message: faults.map((it) => `${it}.`).join(' ') })
  }),
})

/** S3 error codes that concern the bucket name; these errors are shown on the name field. */
const aboutName = ['BucketAlreadyExists', 'BucketAlreadyOwnedByYou', 'InvalidBucketName']

async function send({ name }: z.output<typeof bucketForm>, t: Translate<'objectStorage'>) {
  try {
    await createBucket(name)
  } catch (thrown) {
    const problem = asProblem(thrown)
    if (!aboutName.includes(problem.code)) throw problem
    const { kind, status, code, message, requestId } = problem
    throw new CallProblem({ kind, status, code, message, requestId, fields: { name: [message] } })
  }
  toast(t('buckets.added', { name }))
  void refreshS3(s3Query.buckets())
  void refresh([s3Keys.account])
}

/** `s3-storage/buckets/add`: creates a bucket. */
export default function BucketAddForm() {
  const t = useT('objectStorage')
  const start = useMemo(() => ({ name: '' }), [])
  return (
    <FormDialog
      title={t('buckets.add')}
      verb={t('buckets.add')}
      schema={bucketForm}
      start={start}
      send={(values) => send(values, t)}
      closeTo={s3Paths.buckets()}
      code="none"
    >
      <TextField name="name" label={t('buckets.name')} help={t('buckets.nameHelp')} isMono autoFocus />
    </FormDialog>
  )
}
