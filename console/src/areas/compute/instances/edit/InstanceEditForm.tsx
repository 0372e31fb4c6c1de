import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { useView } from '../../../../api/use-view'
import { useT } from '../../../../i18n/use-t'
import { useAppNavigate } from '../../../../nav/use-app-navigate'
import { useParam } from '../../../../nav/use-param'
import { Drawer } from '../../../../ui/overlays/Drawer'
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel'
import { EditFlavor } from './EditFlavor'
import { EditLiveResize } from './EditLiveResize'
import { EditMetadata } from './EditMetadata'
import { EditName, type EditProps } from './EditName'
import { EditPassword } from './EditPassword'
import { EditRescue } from './EditRescue'
import { instanceResource } from '../resource'
import { useEngineHasLiveResize, useEngineChoosesPlacements } from '../use-engine-can'
import { ChosenPlacements } from '@mainstay/contract/compute/placements'
import * as z from 'zod'
import { useCall } from '../../../../api/use-call'
import { toast } from '../../../../notices/notices'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import { PlacementsField } from '../../placements/PlacementsField'
import { Tag } from '@mainstay/contract/core/names'
import { inTurn } from '../../../../api/dry-run'
import { TagsField } from '../../images/TagsField'

const Tags = z.object({ tags: z.array(Tag).max(50) })

/** Adds and removes tags one call at a time, so that calls cannot overtake each other. */
function EditTags({ instance: { id, name, tags: before }, closeTo }: EditProps) {
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

const Placements = z.object({ traits: ChosenPlacements })

/** Edits an instance's placements. Placements set by operators are kept. */
function EditPlacements({ instance: { id, name, traits }, closeTo }: EditProps) {
  const t = useT('instance')
  const canChoose = useEngineChoosesPlacements()
  const update = useCall(instances.update, {
    refresh: [instances.timeline],
    done: () => toast(t('instances.changed', { name })),
  })
  return (
    <FormDialog
      title={t('instances.editPlacements', { name })}
      verb={t('instances.save')}
      schema={Placements}
      start={{ traits }}
      send={(body) => update.run({ params: { id }, body })}
      closeTo={closeTo}
      barredBecause={canChoose ? undefined : t('instances.placementsFixed')}
    >
      <PlacementsField name="traits" />
    </FormDialog>
  )
}

const subjects = {
  name: EditName,
  description: EditName,
  flavor: EditFlavor,
  'live-resize': EditLiveResize,
  tags: EditTags,
  metadata: EditMetadata,
  placements: EditPlacements,
  rescue: EditRescue,
  password: EditPassword,
}

/** `instances/{id}/edit/{subject}`: edits one part of an instance, over its details drawer or its full page. */
export default function InstanceEditForm({ over = instanceResource.paths.view }: { over?: (id: string) => string }) {
  const t = useT('instance')
  const list = useT('instances')
  const go = useAppNavigate()
  const id = useParam('id')
  const subject = useParam('subject')
  const hasLiveResize = useEngineHasLiveResize()
  const { data } = useView(instances.view, { id }, { kind: instanceKind })
  const back = over(id)
  const isAbsent = subject === 'live-resize' && hasLiveResize === false
  if (isAbsent || !Object.hasOwn(subjects, subject))
    return (
      <Drawer isOpen isModal title={list('instances.edit')} onClose={() => go(back, { keepsSearch: true })}>
        <ErrorPanel title={t('instances.editUnknown')} />
      </Drawer>
    )
  const Form = subjects[subject as keyof typeof subjects]
  return data ? <Form instance={data} closeTo={back} /> : null
}
