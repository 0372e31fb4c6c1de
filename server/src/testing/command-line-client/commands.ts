import { cardCommands } from './card-commands'
import { catalogueCommands } from './catalogue-commands'
import { diskCommands } from './disk-commands'
import { identityCommands } from './identity-commands'
import { networkCommands } from './network-commands'
import { otherCommands } from './other-commands'
import { routingCommands } from './routing-commands'
import { s3Commands } from './s3-commands'
import { serverCommands } from './server-commands'
import { settingsCommands } from './settings-commands'
import type { Command } from './shapes'

/** The requests of each implemented command, in dependency order. Sizes are in GiB, often as strings. */
export const commands: readonly Command[] = [
  ...catalogueCommands,
  ...identityCommands,
  ...s3Commands,
  ...diskCommands,
  ...networkCommands,
  ...routingCommands,
  ...serverCommands,
  ...cardCommands,
  ...settingsCommands,
  ...otherCommands,
]
