import { instances } from '@mainstay/contract/compute/instances'
import { Tag } from '@mainstay/contract/core/names'
import * as z from 'zod'
import { inTurn } from '../../../../api/dry-run'
import { useCall } from '../../../../api/use-call'
import { useT } from '../../../../i18n/use-t'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import { TagsField } from '../../images/TagsField'
import type { EditProps } from './EditName'

const Tags = z.object({ tags: z.array(Tag).max(50) })

/** Each tag that came or went is a call of its own; they go one after another, so that none overtakes the other. */
export function EditTags({ instance: { id, name, tags: before }, closeTo }: EditProps) {
  const t = useT('instance')
  const list = useT('instances')
  const set = useCall(instances.setTag)
  const remove = useCall(instances.removeTag)

  async function send({ tags }: z.output<typeof Tags>) {
    await inTurn([
      ...before.filter((tag) => !tags.includes(tag)).map((tag) => () => remove.run({ params: { id, tag } })),
      ...tags.filter((tag) => !before.includes(tag)).map((tag) => () => set.run({ params: { id, tag } })),
    ])
  }
  return (
    <FormDialog
      title={t('instances.editTags', { name })}
      verb={t('instances.save')}
      schema={Tags}
      start={{ tags: before }}
      send={send}
      closeTo={closeTo}
    >
      <TagsField name="tags" label={list('instances.tags')} />
    </FormDialog>
  )
}
