import { lazy, Suspense, useState } from 'react'
import { create, read, remove, update } from '@mainstay/contract/core/endpoint'
import { domainProperties, type DomainProperty } from '@mainstay/contract/identity/domain-properties'
import type { Domain } from '@mainstay/contract/identity/domains'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { confirm } from '../../../patterns/dialogs/confirm'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { IconButton } from '../../../ui/IconButton'
import { AddIcon, DeleteIcon, EditIcon } from '../../../ui/icons'
import { Mono } from '../../../ui/values/Mono'
import { DomainLiveResize } from './DomainLiveResize'
import css from './DomainProperties.module.css'

const DomainPropertyForm = lazy(() => import('./DomainPropertyForm'))

/** Data that programs store for a domain under a key. Renders nothing if the user may not read it. */
export function DomainProperties({ item: { id, name } }: { item: Domain }) {
  const t = useT('identity')
  const shell = useT('shell')
  const may = useMay()
  const { data, problem, reload } = useView(
    domainProperties.list,
    { domain_id: id },
    { isEnabled: may(read('domain_props')) },
  )
  const drop = useCall(domainProperties.delete, { refresh: [domainProperties.list] })
  /** Key of the property being edited; empty for a new property. */
  const [edited, setEdited] = useState<string>()
  const ask = ({ key }: Pick<DomainProperty, 'key'>) =>
    void confirm({
      title: t('props.deleteQuestion', { key }),
      text: t('props.deleteText', { domain: name }),
      verb: t('props.delete'),
      isDanger: true,
      run: async (signal) => {
        await drop.run({ params: { domain_id: id, key } }, { signal })
      },
    })
  if (problem) return <ErrorPanel title={problemText(problem, shell)} onRetry={reload} id={problem.requestId} />
  if (!data) return null
  return (
    <section className={css.part} aria-label={t('props.title')}>
      <header className={css.head}>
        <h3>{t('props.title')}</h3>
        {may(create('domain_props')) && (
          <Button icon={AddIcon} onPress={() => setEdited('')}>
            {t('props.add')}
          </Button>
        )}
      </header>
      <DomainLiveResize domainId={id} />
      <p className={css.note}>{data.length === 0 ? t('props.none') : t('props.note')}</p>
      <ul className={css.list}>
        {data.map(({ key, access }) => (
          <li key={key}>
            <span className={css.words}>
              <Mono>{key}</Mono>
              <small>{t(`props.access.${access}`)}</small>
            </span>
            {may(update('domain_props')) && (
              <IconButton icon={EditIcon} label={t('props.editNamed', { key })} onPress={() => setEdited(key)} />
            )}
            {may(remove('domain_props')) && (
              <IconButton icon={DeleteIcon} label={t('props.deleteNamed', { key })} onPress={() => ask({ key })} />
            )}
          </li>
        ))}
      </ul>
      <Suspense fallback={null}>
        {edited !== undefined && (
          <DomainPropertyForm
            domainId={id}
            property={data.find(({ key }) => key === edited) ?? null}
            onClose={() => setEdited(undefined)}
          />
        )}
      </Suspense>
    </section>
  )
}
