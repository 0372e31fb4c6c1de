import { SAMPLE_TAG } from '@mainstay/contract/compute/image-rules'
import { imageKind, images, type Image } from '@mainstay/contract/compute/images'
import { instances } from '@mainstay/contract/compute/instances'
import { quotas } from '@mainstay/contract/compute/quotas'
import { networkKind, networks } from '@mainstay/contract/networking/networks'
import { volumes } from '@mainstay/contract/storage/volumes'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { Button } from '../../../ui/Button'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { StartIcon } from '../../../ui/icons'
import ImageSources from '../images/sources/ImageSources'
import { instanceDraftOf, emptyInstanceForm } from '../instances/add/instance-form'
import { proposedFlavor } from '../instances/add/proposals'
import { useFlavors } from '../instances/add/use-flavors'
import { useProjectQuotas } from '../instances/add/use-project-quotas'
import { instanceResource } from '../instances/resource'
import css from './FirstRun.module.css'

/**
 * Shown for a project without instances. Creates one from the sample image in one click, or from the catalogue in
 * two.
 */
export default function FirstRunPage() {
  const t = useT('sources')
  const go = useAppNavigate()
  const samples = useList(images.list, imageKind, {
    stateIn: 'memory',
    limit: 1,
    only: { tags: `any:${SAMPLE_TAG}`, status: 'exact:active' },
  })
  const [sample] = samples.rows
  const networkList = useList(networks.list, networkKind, { stateIn: 'memory' })
  const hasNoNetwork = !networkList.isLoading && !networkList.problem && networkList.rows.length === 0
  return (
    <section className={css.first} aria-label={t('firstRun.title')}>
      <header className={css.head}>
        <h2>{t('firstRun.title')}</h2>
        <p>{t(hasNoNetwork ? 'firstRun.introNoNetwork' : 'firstRun.intro')}</p>
      </header>
      {sample && <SampleInstance image={sample} />}
      <ImageSources onUse={({ id }) => go(instanceResource.paths.add(), { search: { image: id } })} />
      <Link to={instanceResource.paths.add()}>{t('firstRun.yourself')}</Link>
    </section>
  )
}

/** Creates an instance from the sample image with sensible defaults, then opens its console. */
function SampleInstance({ image }: { image: Image }) {
  const t = useT('sources')
  const shell = useT('shell')
  const go = useAppNavigate()
  const flavors = useFlavors()
  const quotasOf = useProjectQuotas()
  const networkList = useList(networks.list, networkKind, { stateIn: 'memory' })
  const create = useCall(instances.create, {
    refresh: [instances.list, volumes.list, quotas.view],
    done: ({ id }) => go(instanceResource.paths.below(id, 'console')),
  })
  const boot = { from: 'image', image } as const
  const network = networkList.rows.find(({ router_external, status }) => !router_external && status === 'ACTIVE')
  const form = {
    ...emptyInstanceForm,
    name: 'sample',
    boot,
    flavor: proposedFlavor(flavors.rows, boot, quotasOf),
    networks: network ? [{ network, address: '', mac: '' }] : [],
    no_network: !network,
  }
  return (
    <div className={css.card}>
      <div className={css.words}>
        <h3>{t('firstRun.sample')}</h3>
        <p>{t('firstRun.sampleText')}</p>
        {create.problem && (
          <ErrorPanel
            title={t('firstRun.failed')}
            why={problemText(create.problem, shell)}
            id={create.problem.requestId}
          />
        )}
      </div>
      <Button
        variant="primary"
        icon={StartIcon}
        isBusy={create.isPending}
        isDisabled={flavors.isLoading || networkList.isLoading}
        onPress={() => create.start({ body: instanceDraftOf(form) })}
      >
        {t('firstRun.sampleStart')}
      </Button>
    </div>
  )
}
