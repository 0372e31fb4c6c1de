import { imageImports, type CatalogueImage } from '@mainstay/contract/compute/image-imports'
import { images, type Image } from '@mainstay/contract/compute/images'
import { MiB } from '@mainstay/contract/core/bytes'
import { tasks, type Task } from '@mainstay/contract/core/tasks'
import { problemText } from '../../../../api/problem-text'
import { useCall } from '../../../../api/use-call'
import { useView } from '../../../../api/use-view'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { useDelayed } from '../../../../lib/use-delayed'
import { Button } from '../../../../ui/Button'
import { Banner } from '../../../../ui/feedback/Banner'
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel'
import { ProgressBar } from '../../../../ui/feedback/ProgressBar'
import { SkeletonRows } from '../../../../ui/feedback/Skeleton'
import { IconButton } from '../../../../ui/IconButton'
import { CloseIcon, DownloadIcon, OkIcon } from '../../../../ui/icons'
import css from './ImageSources.module.css'
import { nameInCloud, useArrivals } from './use-imports'

/** The image catalogue. Images that the cloud already has can be used; the others can be imported. */
export function CatalogueList({ onUse }: { onUse?: ((image: Image) => void) | undefined }) {
  const t = useT('sources')
  const shell = useT('shell')
  const catalogue = useView(imageImports.catalogue, {})
  const { fetching, imageOf, isLoading } = useArrivals()
  const isLate = useDelayed(catalogue.isLoading || isLoading)
  const known = catalogue.data?.data ?? []
  // imports that were started from a URL are listed above the catalogue
  const others = fetching.filter(({ name }) => !known.some((it) => nameInCloud(it) === name))
  return (
    <section className={css.part} aria-label={t('sources.catalogue')}>
      <h3>{t('sources.catalogue')}</h3>
      <p className={css.help}>{t('sources.catalogueHelp')}</p>
      {catalogue.data?.problem && (
        <Banner tone="warn" title={t('sources.catalogueProblem')}>
          <bdi>{catalogue.data.problem}</bdi>
        </Banner>
      )}
      {catalogue.problem ? (
        <ErrorPanel
          title={t('sources.loadFailed')}
          why={problemText(catalogue.problem, shell)}
          id={catalogue.problem.requestId}
          onRetry={catalogue.reload}
        />
      ) : catalogue.isLoading || isLoading ? (
        isLate && <SkeletonRows rows={6} columns={2} />
      ) : (
        <ul className={css.list}>
          {others.map(({ task, name }) => (
            <li key={task.id} className={css.row}>
              <Fetching task={task} name={name} />
            </li>
          ))}
          {known.map((it) => (
            <Row
              key={it.id}
              image={it}
              here={imageOf(nameInCloud(it))}
              task={fetching.find(({ name }) => name === nameInCloud(it))?.task}
              onUse={onUse}
            />
          ))}
          {known.length === 0 && <li className={css.help}>{t('sources.empty')}</li>}
        </ul>
      )}
    </section>
  )
}

interface RowProps {
  image: CatalogueImage
  here: Image | undefined
  task: Task | undefined
  onUse: ((image: Image) => void) | undefined
}

function Row({ image, here, task, onUse }: RowProps) {
  const t = useT('sources')
  const format = useFormat()
  const fetch = useCall(imageImports.create, { refresh: [tasks.list, images.list] })
  const name = nameInCloud(image)
  const ram = format.bytes(image.min_ram * MiB)
  if (task)
    return (
      <li className={css.row}>
        <Fetching task={task} name={name} />
      </li>
    )
  return (
    <li className={css.row}>
      <span className={css.what}>
        <span className={css.name}>
          <bdi>{name}</bdi>
          {here && (
            <span className={css.here}>
              <OkIcon /> {t('sources.here')}
            </span>
          )}
        </span>
        <span className={css.help}>
          {image.username === null
            ? t('sources.factsRam', { ram })
            : t('sources.facts', { username: image.username, ram })}
        </span>
        {fetch.problem && (
          <span className={css.fault} role="alert">
            {fetch.problem.message}
          </span>
        )}
      </span>
      {here ? (
        onUse && (
          <Button size="small" aria-label={t('sources.useIt', { name })} onPress={() => onUse(here)}>
            {t('sources.use')}
          </Button>
        )
      ) : (
        <Button
          size="small"
          icon={DownloadIcon}
          isBusy={fetch.isPending}
          aria-label={t('sources.fetchIt', { name })}
          onPress={() => fetch.start({ body: { catalogue_id: image.id } })}
        >
          {t('sources.fetch')}
        </Button>
      )}
    </li>
  )
}

function Fetching({ task, name }: { task: Task; name: string }) {
  const t = useT('sources')
  const cancel = useCall(tasks.cancel, { refresh: [tasks.list] })
  return (
    <>
      <span className={css.what}>
        <ProgressBar label={t('sources.fetching', { name })} share={task.progress > 0 ? task.progress / 100 : null} />
      </span>
      <IconButton
        icon={CloseIcon}
        label={t('sources.cancel', { name })}
        isDisabled={cancel.isPending || task.state === 'cancelling'}
        onPress={() => cancel.start({ params: { id: task.id } })}
      />
    </>
  )
}
