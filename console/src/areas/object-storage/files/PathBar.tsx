import { useState } from 'react'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { Button } from '../../../ui/Button'
import { TextField } from '../../../ui/fields/TextField'
import { IconButton } from '../../../ui/IconButton'
import { EditIcon } from '../../../ui/icons'
import { CopyButton } from '../../../ui/values/CopyButton'
import { s3Paths } from '../paths'
import { Breadcrumb } from './Breadcrumb'
import css from './files.module.css'

/**
 * Shows the current path with links to the parent folders. The path can be copied, or edited to open another folder.
 */
export function PathBar({ bucket, path }: { bucket: string; path: string }) {
  const t = useT('objectStorage')
  const go = useAppNavigate()
  const [typed, type] = useState<string>()

  function leave(text: string) {
    const plain = text.trim().replace(/^\/+/, '')
    const folder = plain === '' || plain.endsWith('/') ? plain : `${plain}/`
    type(undefined)
    go(s3Paths.files(bucket), { search: folder === '' ? {} : { path: folder } })
  }

  if (typed !== undefined)
    return (
      <form
        className={css.typed}
        onSubmit={(event) => {
          event.preventDefault()
          leave(typed)
        }}
      >
        <TextField
          label={t('path.label')}
          isLabelHidden
          value={typed}
          onChange={type}
          isMono
          autoFocus
          start={`${bucket}/`}
          className={css.typedPath}
          onKeyDown={(event) => event.key === 'Escape' && type(undefined)}
        />
        <Button type="submit">{t('path.go')}</Button>
      </form>
    )
  const address = `s3://${bucket}/${path}`
  return (
    <div className={css.bar}>
      <Breadcrumb bucket={bucket} path={path} />
      <span>
        <IconButton icon={EditIcon} size="small" label={t('files.typePath')} onPress={() => type(path)} />
        <CopyButton value={address} />
      </span>
    </div>
  )
}
