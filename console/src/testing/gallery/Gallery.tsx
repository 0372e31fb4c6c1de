import { Button } from '../../ui/Button'
import { IconButton } from '../../ui/IconButton'
import { NotificationsIcon } from '../../ui/icons'
import css from './Gallery.module.css'
import { Looks } from './Looks'
import { Actions } from './Actions'
import { Status } from './Status'
import { Fields } from './Fields'
import { List } from './List'
import { States } from './States'
import { Notices } from './Notices'
import { Overlays } from './Overlays'

/** All primitives in all states, for visual review, axe checks, and screenshots in light, dark and RTL. */
export function Gallery() {
  return (
    <>
      <header className={css.header}>
        <strong>Mainstay</strong>
        <Button variant="plain" size="small">
          Project demo
        </Button>
        <span className={css.spring} />
        <IconButton icon={NotificationsIcon} label="Notifications in the header" />
      </header>
      <main className={css.page}>
        <h1>Gallery</h1>
        <Looks />
        <List />
        <div className={css.columns}>
          <Actions />
          <Status />
          <Fields />
          <States />
          <Notices />
          <Overlays />
        </div>
      </main>
    </>
  )
}
