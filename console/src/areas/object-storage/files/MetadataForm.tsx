import {
  s3HeaderNames,
  s3Metadata,
  S3MetadataDraft,
  type S3HeaderName,
  type S3Metadata,
} from '@mainstay/contract/object-storage/s3-files'
import * as z from 'zod'
import { useView } from '../../../api/use-view'
import { textsNow, useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { ViewContent } from '../../../patterns/DrawerPage'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { TextArea, TextField } from '../../../patterns/form/form-fields'
import { refresh } from '../../../api/use-call'
import { callS3 } from '../client/runs'
import { s3Query } from '../keys'
import { refreshS3 } from '../use-s3'
import { visible, type FileRow } from './file-row'

const labels = {
  'content-type': 'metadata.type',
  'cache-control': 'metadata.cacheControl',
  'content-disposition': 'metadata.disposition',
  'content-encoding': 'metadata.encoding',
  'content-language': 'metadata.language',
} as const satisfies Partial<Record<S3HeaderName, string>>
type Shown = keyof typeof labels
const shown = s3HeaderNames.filter((name): name is Shown => name in labels)

const linesOf = (metadata: Record<string, string>) =>
  Object.entries(metadata)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

/** Parses one `name: value` pair per line; null if any line has a different format. */
export function metadataOf(lines: string): Record<string, string> | null {
  const pairs = lines.split('\n').flatMap((line) => {
    if (line.trim() === '') return []
    const at = line.indexOf(':')
    return [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim(), at] as const]
  })
  if (pairs.some(([name, value, at]) => at < 1 || name === '' || value === '')) return null
  return Object.fromEntries(pairs)
}

const Fields = z
  .object({
    own: z.string(),
    ...(Object.fromEntries(shown.map((name) => [name, z.string()])) as Record<Shown, z.ZodString>),
  })
  .superRefine(({ own, ...headers }, context) => {
    const metadata = metadataOf(own)
    const message = textsNow('objectStorage')('metadata.fault')
    if (!metadata) return context.addIssue({ code: 'custom', path: ['own'], message })
    const { error } = S3MetadataDraft.pick({ headers: true, metadata: true }).safeParse({ headers, metadata })
    for (const {
      path: [first, name],
      message: said,
    } of error?.issues ?? [])
      context.addIssue({ code: 'custom', path: [first === 'headers' ? String(name) : 'own'], message: said })
  })

interface MetadataFormProps {
  bucket: string
  file: FileRow
  onClose: (isDone: boolean) => void
}

/** Edits a file's headers and custom metadata. */
export function MetadataForm({ bucket, file, onClose }: MetadataFormProps) {
  const view = useView(s3Metadata.view, {}, { query: { bucket, key: file.Key } })
  return (
    <ViewContent view={view}>
      {/* remount the form when newer metadata arrives, because a form keeps its initial values */}
      {(known) => <Form key={JSON.stringify(known)} bucket={bucket} file={file} known={known} onClose={onClose} />}
    </ViewContent>
  )
}

function Form({ bucket, file, known, onClose }: MetadataFormProps & { known: S3Metadata }) {
  const t = useT('objectStorage')
  const name = visible(file.name)
  const start = Object.fromEntries(shown.map((it) => [it, known.headers[it]])) as Record<Shown, string>

  async function send({ own, ...headers }: z.output<typeof Fields>) {
    await callS3(s3Metadata.update, {
      body: {
        ...{ bucket, key: file.Key, etag: known.etag, metadata: metadataOf(own)! },
        headers: { ...headers, expires: known.headers.expires },
      },
    })
    toast(t('metadata.saved', { name }))
    void refresh([s3Metadata.view])
    void refreshS3(s3Query.object(bucket, file.Key), s3Query.folder(bucket))
  }

  return (
    <FormDialog
      title={t('metadata.title', { name })}
      verb={t('metadata.verb')}
      schema={Fields}
      start={{ ...start, own: linesOf(known.metadata) }}
      send={send}
      onClose={onClose}
      code="none"
      place="middle"
    >
      {shown.map((it) => (
        <TextField key={it} name={it} label={t(labels[it])} isMono />
      ))}
      <TextArea name="own" label={t('metadata.own')} help={t('metadata.ownHelp')} isMono rows={4} />
    </FormDialog>
  )
}
