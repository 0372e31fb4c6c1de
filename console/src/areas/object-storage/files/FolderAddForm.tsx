import { useMemo } from 'react'
import { objectNameFaults } from '@mainstay/contract/object-storage/bucket-names'
import * as z from 'zod'
import { CallProblem } from '../../../api/problem'
import { useT } from '../../../i18n/use-t'
import { useParam, useSearchParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { TextField } from '../../../patterns/form/form-fields'
import { listObjects, putObject } from '../client/objects'
import { s3Query } from '../keys'
import { s3Paths } from '../paths'
import { refreshS3 } from '../use-s3'

/** `buckets/files/{bucketName}/add`: creates a folder, which is an empty object whose key ends with a slash. */
export default function FolderAddForm() {
  const t = useT('objectStorage')
  const bucket = useParam('bucketName')
  const path = useSearchParam('path') ?? ''
  const schema = useMemo(
    () =>
      z.object({
        name: z.string().superRefine((name, context) => {
          const faults = objectNameFaults(name, path)
          if (faults.length > 0) context.addIssue({ code: 'custom', message: faults.map((it) => `${it}.`).join(' ') })
        }),
      }),
    [path],
  )

  async function send({ name }: { name: string }) {
    const key = `${path}${name}/`
    const found = await listObjects(bucket, { prefix: key, maxKeys: 1 })
    if (found.objects.length > 0) {
      const message = t('folder.exists')
      throw new CallProblem({ kind: 'validation', status: 409, code: 'exists', message, fields: { name: [message] } })
    }
    await putObject(bucket, key)
    toast(t('folder.added', { name }))
    void refreshS3(s3Query.folder(bucket))
  }

  return (
    <FormDialog
      title={t('folder.add')}
      verb={t('folder.add')}
      schema={schema}
      start={{ name: '' }}
      send={send}
      closeTo={s3Paths.files(bucket)}
      code="none"
      place="middle"
    >
      <TextField name="name" label={t('folder.name')} autoFocus />
    </FormDialog>
  )
}
