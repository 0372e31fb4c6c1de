import { useMemo, useState } from 'react'
import { imageKind, images } from '@mainstay/contract/compute/images'
import { instances } from '@mainstay/contract/compute/instances'
import { quotas } from '@mainstay/contract/compute/quotas'
import { sshKeyKind, sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { networkKind, networks } from '@mainstay/contract/networking/networks'
import { volumes } from '@mainstay/contract/storage/volumes'
import { CallProblem } from '../../../../api/problem'
import { useCall } from '../../../../api/use-call'
import { useList } from '../../../../api/use-list'
import { useView } from '../../../../api/use-view'
import { useT } from '../../../../i18n/use-t'
import { useDelayed } from '../../../../lib/use-delayed'
import { useOptionalParam, useSearchParam } from '../../../../nav/use-param'
import { InProject } from '../../../../patterns/InProject'
import { Page } from '../../../../patterns/Page'
import { useMay } from '../../../../session/may'
import { WizardPage } from '../../../../patterns/wizard/WizardPage'
import { SkeletonRows } from '../../../../ui/feedback/Skeleton'
import { instanceResource } from '../resource'
import { assignFloatingIp } from './assign-floating-ip'
import {
  instanceDraftOf,
  emptyInstanceForm,
  formField,
  instanceForm,
  type Boot,
  type InstanceForm,
} from './instance-form'
import { InstanceCost } from './InstanceCost'
import { MainFields } from './MainFields'
import { AdvancedFields } from './AdvancedFields'
import { useInstanceSteps } from './use-instance-steps'
import { proposedFlavor } from './proposals'
import { useFlavors } from './use-flavors'
import { useProjectQuotas } from './use-project-quotas'
import { useCreationBar } from './use-creation-bar'

export default function InstanceAddPage() {
  return (
    <InProject closeTo={instanceResource.paths.list()}>
      <Proposed />
    </InProject>
  )
}

function Proposed() {
  const list = useT('instances')
  const may = useMay()
  // set if the wizard was opened from an image
  const imageId = useSearchParam('image')
  const image = useView(images.view, { id: imageId ?? '' }, { kind: imageKind, isEnabled: imageId !== undefined })
  const isImageLoading = imageId !== undefined && image.isLoading
  const flavorList = useFlavors()
  const keyList = useList(sshKeys.list, sshKeyKind, { stateIn: 'memory', limit: 2, isEnabled: may(sshKeys.list.needs) })
  const quotasOf = useProjectQuotas()
  const networkList = useList(networks.list, networkKind, { stateIn: 'memory' })
  const isLoading = isImageLoading || flavorList.isLoading || networkList.isLoading || keyList.isLoading
  const isLate = useDelayed(isLoading)
  if (isLoading) return <Page title={list('instances.add')}>{isLate && <SkeletonRows rows={8} columns={2} />}</Page>
  // the defaults are the first internal network, and the SSH key if there is exactly one
  const network = networkList.rows.find(({ router_external, status }) => !router_external && status === 'ACTIVE')
  const boot: Boot | null = image.data ? { from: image.data.type === 'iso' ? 'iso' : 'image', image: image.data } : null
  const [onlyKey = null, ...moreKeys] = keyList.rows
  const start: InstanceForm = {
    ...emptyInstanceForm,
    boot,
    flavor: proposedFlavor(flavorList.rows, boot, quotasOf),
    key: moreKeys.length === 0 ? onlyKey : null,
    networks: network ? [{ network, address: '', mac: '' }] : [],
  }
  return <Wizard start={start} />
}

function Wizard({ start: given }: { start: InstanceForm }) {
  const t = useT('instance')
  const list = useT('instances')
  // keep the initial defaults while the user fills in the form
  const [start] = useState(given)
  const step = useOptionalParam('step')
  const schema = useMemo(() => instanceForm(t), [t])
  const steps = useInstanceSteps()
  const barred = useCreationBar()
  const create = useCall(instances.create, { refresh: [instances.list, volumes.list, quotas.view] })

  async function send(form: InstanceForm) {
    try {
      const made = await create.run({ body: instanceDraftOf(form) })
      const { floating_ip: floatingIp, no_network: hasNone, count } = form
      // runs in the background, since the instance exists even if assigning the floating IP fails
      if (floatingIp !== null && !hasNone && count === 1) void assignFloatingIp(made, floatingIp)
    } catch (thrown) {
      throw thrown instanceof CallProblem ? inForm(thrown, form) : thrown
    }
  }

  return (
    <WizardPage
      title={list('instances.add')}
      verb={t('instances.add.verb')}
      schema={schema}
      start={start}
      send={send}
      closeTo={instanceResource.paths.list()}
      path={instanceResource.paths.add()}
      step={step}
      steps={steps}
      more={<AdvancedFields />}
      aside={<InstanceCost />}
      barred={barred}
    >
      <MainFields isInFront={step === undefined} />
    </WizardPage>
  )
}

/** Maps the field paths of an API problem to form fields. */
function inForm(problem: CallProblem, form: InstanceForm): CallProblem {
  const fields: Record<string, readonly string[]> = {}
  for (const [path, messages] of Object.entries(problem.fields)) {
    const field = formField(path, form)
    fields[field] = [...(fields[field] ?? []), ...messages]
  }
  return new CallProblem({ ...problem, message: problem.message, fields })
}
