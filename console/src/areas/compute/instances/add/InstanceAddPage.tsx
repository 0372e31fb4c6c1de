import { useMemo, useState } from 'react'
import { flavorKind, flavors } from '@mainstay/contract/compute/flavors'
import { imageKind, images } from '@mainstay/contract/compute/images'
import { instances } from '@mainstay/contract/compute/instances'
import { quotas } from '@mainstay/contract/compute/quotas'
import { networkKind, networks } from '@mainstay/contract/networking/networks'
import { volumes } from '@mainstay/contract/storage/volumes'
import { CallProblem } from '../../../../api/problem'
import { useCall } from '../../../../api/use-call'
import { useList } from '../../../../api/use-list'
import { useView } from '../../../../api/use-view'
import { useT } from '../../../../i18n/use-t'
import { useDelayed } from '../../../../lib/use-delayed'
import { useOptionalParam, useSearchParam } from '../../../../nav/use-param'
import { Page } from '../../../../patterns/Page'
import { WizardPage } from '../../../../patterns/wizard/WizardPage'
import { SkeletonRows } from '../../../../ui/feedback/Skeleton'
import { instanceResource } from '../resource'
import { draftOf, emptyInstanceForm, formField, instanceForm, type InstanceForm } from './instance-form'
import { InstanceCost } from './InstanceCost'
import { MainFields } from './MainFields'
import { AdvancedFields } from './AdvancedFields'
import { useInstanceSteps } from './use-instance-steps'
import { useCreationBar } from './use-creation-bar'

export default function InstanceAddPage() {
  const t = useT('instances')
  // where somebody comes from an image
  const imageId = useSearchParam('image')
  const image = useView(images.view, { id: imageId ?? '' }, { kind: imageKind, isEnabled: imageId !== undefined })
  const isImageLoading = imageId !== undefined && image.isLoading
  const flavorList = useList(flavors.list, flavorKind, {
    stateIn: 'memory',
    limit: 1,
    only: { ram: `gte:${image.data?.min_ram ?? 0}` },
    isEnabled: !isImageLoading,
  })
  const networkList = useList(networks.list, networkKind, { stateIn: 'memory' })
  const isLoading = isImageLoading || flavorList.isLoading || networkList.isLoading
  const isLate = useDelayed(isLoading)
  if (isLoading) return <Page title={t('instances.add')}>{isLate && <SkeletonRows rows={8} columns={2} />}</Page>
  // what is proposed: the smallest flavor that does, and the first network that is not the way out
  const network = networkList.rows.find(({ router_external, status }) => !router_external && status === 'ACTIVE')
  const start: InstanceForm = {
    ...emptyInstanceForm,
    boot: image.data ? { from: image.data.type === 'iso' ? 'iso' : 'image', image: image.data } : null,
    flavor: flavorList.rows[0] ?? null,
    networks: network ? [{ network, address: '', mac: '' }] : [],
  }
  return <Wizard start={start} />
}

function Wizard({ start: given }: { start: InstanceForm }) {
  const t = useT('instances')
  // what is proposed must not change under what is being entered
  const [start] = useState(given)
  const step = useOptionalParam('step')
  const schema = useMemo(() => instanceForm(t), [t])
  const steps = useInstanceSteps()
  const barred = useCreationBar()
  const create = useCall(instances.create, { refresh: [instances.list, volumes.list, quotas.view] })

  async function send(form: InstanceForm) {
    try {
      await create.run({ body: draftOf(form) })
    } catch (thrown) {
      throw thrown instanceof CallProblem ? inForm(thrown, form) : thrown
    }
  }

  return (
    <WizardPage
      title={t('instances.add')}
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

/** The same problem, with its fields as the form calls them. */
function inForm(problem: CallProblem, form: InstanceForm): CallProblem {
  const fields: Record<string, readonly string[]> = {}
  for (const [path, messages] of Object.entries(problem.fields)) {
    const field = formField(path, form)
    fields[field] = [...(fields[field] ?? []), ...messages]
  }
  return new CallProblem({ ...problem, message: problem.message, fields })
}
