import { useId, useState } from 'react'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { useT } from '../../../i18n/use-t'
import { ViewContent } from '../../../patterns/DrawerPage'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { EditIcon } from '../../../ui/icons'
import { Panel } from '../../../ui/Panel'
import { TagList } from '../../../ui/values/TagList'
import { getTags } from '../client/tags'
import { s3Query, type Tagged } from '../keys'
import { useS3 } from '../use-s3'
import { TagsForm } from './TagsForm'

/** The tags on a bucket or file. `name`: name of the resource. */
export function TagsPanel({ of, name }: { of: Tagged; name: string }) {
  const t = useT('objectStorage')
  const mayChange = useMay()(s3Keys.update.needs)
  const [isOpen, setOpen] = useState(false)
  const view = useS3(s3Query.tags(of), (signal) => getTags(of, signal))
  return (
    <Panel
      title={t('tags.title')}
      action={
        view.data &&
        mayChange && (
          <Button icon={EditIcon} onPress={() => setOpen(true)}>
            {t('tags.edit')}
          </Button>
        )
      }
    >
      <ViewContent view={view}>
        {(held) => (
          <>
            {held.tags.length === 0 ? (
              <p>{t('tags.none')}</p>
            ) : (
              <TagList
                label={t('tags.title')}
                tags={held.tags.map(({ key, value }) => (value === '' ? key : `${key}: ${value}`))}
              />
            )}
            {isOpen && <TagsForm of={of} name={name} held={held} onClose={() => setOpen(false)} />}
          </>
        )}
      </ViewContent>
    </Panel>
  )
}

/** Tags form for a file version. The tags are loaded when the form opens. */
export function VersionTags({ of, name, onClose }: { of: Tagged; name: string; onClose: () => void }) {
  // a new query key each time the form opens, because it keeps its initial values and must not start with cached tags
  const opening = useId()
  const view = useS3([...s3Query.tags(of), opening], (signal) => getTags(of, signal))
  return (
    <ViewContent view={view}>{(held) => <TagsForm of={of} name={name} held={held} onClose={onClose} />}</ViewContent>
  )
}
