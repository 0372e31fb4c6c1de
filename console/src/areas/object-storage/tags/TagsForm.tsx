import { useMemo, useState } from 'react'
import * as z from 'zod'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { TextArea } from '../../../patterns/form/form-fields'
import { MOST_TAG_KEY, MOST_TAG_VALUE, mostTags, putTags, type HeldTags, type Tag } from '../client/tags'
import { s3Query, type Tagged } from '../keys'
import { refreshS3 } from '../use-s3'

/** Parses one `key=value` pair per line. */
export const tagsIn = (text: string): Tag[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const at = line.indexOf('=')
      return at < 0 ? { key: line, value: '' } : { key: line.slice(0, at).trim(), value: line.slice(at + 1).trim() }
    })

/** Edits the tags on a bucket, file or file version, one per line. `name`: name of the resource. */
export function TagsForm({
  of,
  name,
  held,
  onClose,
}: {
  of: Tagged
  name: string
  held: HeldTags
  onClose: () => void
}) {
  const t = useT('objectStorage')
  // keep the tags that the form was opened with, even if newer tags are loaded
  const [opened] = useState(held)
  const most = mostTags[of.key === undefined ? 'bucket' : 'object']
  const schema = useMemo(
    () =>
      z.object({
        tags: z.string().superRefine((text, context) => {
          const found = tagsIn(text)
          const fault = (message: string) => context.addIssue({ code: 'custom', message })
          if (found.length > most) fault(t('tags.tooMany', { most }))
          if (found.some(({ key }) => key === '' || key.length > MOST_TAG_KEY))
            fault(t('tags.key', { most: MOST_TAG_KEY }))
          if (found.some(({ value }) => value.length > MOST_TAG_VALUE)) fault(t('tags.value', { most: MOST_TAG_VALUE }))
          if (new Set(found.map(({ key }) => key)).size < found.length) fault(t('tags.twice'))
        }),
      }),
    [t, most],
  )
  async function send({ tags: text }: { tags: string }) {
    await putTags(of, tagsIn(text), opened.document)
    toast(t('tags.saved', { name }))
    // the newest version shares its tags with the file
    void refreshS3(s3Query.tags({ ...of, version: undefined }))
  }
  return (
    <FormDialog
      title={t('tags.editOf', { name })}
      verb={t('tags.save')}
      schema={schema}
      start={{ tags: opened.tags.map(({ key, value }) => `${key}=${value}`).join('\n') }}
      send={send}
      onClose={onClose}
      code="none"
      place="middle"
    >
      <TextArea name="tags" label={t('tags.title')} help={t('tags.help')} rows={6} isMono isOptional />
    </FormDialog>
  )
}
