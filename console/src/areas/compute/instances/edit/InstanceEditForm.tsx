import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { useView } from '../../../../api/use-view'
import { useT } from '../../../../i18n/use-t'
import { useGo } from '../../../../nav/use-go'
import { useParam } from '../../../../nav/use-param'
import { Drawer } from '../../../../ui/overlays/Drawer'
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel'
import { EditFlavor } from './EditFlavor'
import { EditLiveResize } from './EditLiveResize'
import { EditMetadata } from './EditMetadata'
import { EditName } from './EditName'
import { EditPassword } from './EditPassword'
import { EditPlacements } from './EditPlacements'
import { EditRescue } from './EditRescue'
import { EditTags } from './EditTags'
import { instanceResource } from '../resource'
import { useEngineHasLiveResize } from '../use-engine-can'

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

/** `instances/{id}/edit/{subject}`: one change, over the details (or the page) that stay behind it. */
export default function InstanceEditForm({ over = instanceResource.paths.view }: { over?: (id: string) => string }) {
  const t = useT('instance')
  const list = useT('instances')
  const go = useGo()
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
