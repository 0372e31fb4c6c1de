import { useMemo } from 'react'
import { objectNameFaults } from '@mainstay/contract/object-storage/bucket-names'
import { s3Runs, type S3Run } from '@mainstay/contract/object-storage/s3-files'
import * as z from 'zod'
import { waitForTask } from '../../../api/wait-for-task'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { expectTasks } from '../../../notices/expected-tasks'
import { toast } from '../../../notices/notices'
import { Checkbox, Select, TextField } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { listBuckets } from '../client/buckets'
import { callS3 } from '../client/runs'
import { s3Query } from '../keys'
import { refreshS3, useS3 } from '../use-s3'
import { folderOf, visible, type FileRow } from './file-row'
import css from './files.module.css'

interface TransferFormProps {
  action: 'copy' | 'move'
  bucket: string
  files: readonly FileRow[]
  onClose: (isDone: boolean) => void
}

/** Normalizes a typed path to a folder prefix. */
const prefixOf = (path: string): string => {
  const plain = path.replace(/^\/+/, '').replace(/\/+$/, '')
  return plain === '' ? '' : `${plain}/`
}

/**
 * Shows a notification for a single file; folder transfers are reported by their task. Then reloads the affected
 * folders.
 */
function tell({ task_id }: S3Run, text: string, buckets: readonly string[]): void {
  const renew = () =>
    refreshS3(...buckets.flatMap((bucket) => [s3Query.folder(bucket), s3Query.bucket(bucket, 'count')]))
  if (task_id === null) {
    toast(text)
    return void renew()
  }
  expectTasks(undefined, { task_id })
  // some objects may have been transferred even if the task fails
  void waitForTask(task_id).then(renew, renew)
}

const Target = z.object({ bucket: z.string(), folder: z.string(), overwrite: z.boolean() })

/** Asks for the destination, then copies or moves files and folders. */
export function TransferForm({ action, bucket, files, onClose }: TransferFormProps) {
  const t = useT('objectStorage')
  const format = useFormat()
  const buckets = useS3(s3Query.buckets(), listBuckets)
  // the current bucket is not in the user's list if someone else owns it
  const names = [...new Set([bucket, ...(buckets.data ?? []).map(({ name }) => name)])].sort()
  const [first] = files
  const count = files.length
  const texts = { count, shown: format.number(count), name: visible(first!.name) }

  async function send({ bucket: to, folder, overwrite }: z.output<typeof Target>) {
    const keys = files.map(({ Key }) => Key)
    const run = await callS3(s3Runs.create, {
      body: { action, bucket, keys, overwrite, to: { bucket: to, folder: prefixOf(folder) } },
    })
    tell(run, t(action === 'copy' ? 'transfer.copied' : 'transfer.moved', { count: 1, shown: '1' }), [bucket, to])
  }

  return (
    <FormDialog
      title={t(action === 'copy' ? 'transfer.copyTitle' : 'transfer.moveTitle', texts)}
      verb={t(action === 'copy' ? 'transfer.copyVerb' : 'transfer.moveVerb')}
      schema={Target}
      start={{ bucket, folder: folderOf(first!.Key).replace(/\/$/, ''), overwrite: false }}
      send={send}
      onClose={onClose}
      code="none"
      place="middle"
    >
      <Select name="bucket" label={t('transfer.bucket')} items={names.map((name) => ({ id: name, label: name }))} />
      <TextField name="folder" label={t('transfer.folder')} help={t('transfer.folderHelp')} isMono autoFocus />
      <Checkbox name="overwrite">{t('transfer.overwrite')}</Checkbox>
      {files.some(({ isFolder }) => isFolder) && <p className={css.note}>{t('transfer.folderNote')}</p>}
    </FormDialog>
  )
}

/** Renames a file or folder without moving it. */
export function RenameForm({ bucket, file, onClose }: Omit<TransferFormProps, 'action' | 'files'> & { file: FileRow }) {
  const t = useT('objectStorage')
  const folder = folderOf(file.Key)
  const schema = useMemo(
    () =>
      z.object({
        name: z.string().superRefine((name, context) => {
          const faults = objectNameFaults(name, folder)
          if (faults.length > 0) context.addIssue({ code: 'custom', message: faults.map((it) => `${it}.`).join(' ') })
        }),
      }),
    [folder],
  )

  async function send({ name }: { name: string }) {
    if (name === file.name) return
    const body = { action: 'move' as const, bucket, keys: [file.Key], to: { bucket, folder, name } }
    tell(await callS3(s3Runs.create, { body }), t('transfer.renamed', { name: visible(file.name) }), [bucket])
  }

  return (
    <FormDialog
      title={t('transfer.renameTitle', { name: visible(file.name) })}
      verb={t('transfer.renameVerb')}
      schema={schema}
      start={{ name: file.name }}
      send={send}
      onClose={onClose}
      code="none"
      place="middle"
    >
      <TextField name="name" label={t('transfer.newName')} autoFocus />
      {file.isFolder && <p className={css.note}>{t('transfer.folderNote')}</p>}
    </FormDialog>
  )
}
