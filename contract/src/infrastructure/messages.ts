export const infrastructure = {
  absolute_path: 'Enter an absolute path, such as /mnt/backup',
  backup_differs: [
    'backup_target_unavailable',
    'The stored file is not what was written. Check the storage of the place, then try again.',
  ],
  backup_folder_unmarked: [
    'backup_target_unavailable',
    'The folder {folder} does not contain the file {marker}, which was created there when the folder was chosen. If it is a share, mount it. To use the folder as it is, save the place again.',
  ],
  backup_key_ending: 'These are not the last characters of the new key',
  backup_key_replaced: ['conflict', 'A newer key has been created since. Confirm that key, or create another one.'],
  backup_not_configured: ['invalid_state', 'Choose a place and create a key for management backups first'],
  backup_place: ['backup_target_unavailable', 'The place where backups are stored cannot be used: {reason}'],
  backup_running: ['conflict', 'A management backup is already being created'],
  backup_secret_missing: 'Enter the secret key for this bucket',
  choose_node: 'Choose the node whose disks these are',
  cluster_exists: [
    'engine_one_node',
    'An installation has one storage cluster, and {name} exists already. To use the disks of further hosts, attach a Ceph cluster.',
  ],
  cluster_name: 'Use 2 to 64 letters, digits, hyphens and underscores',
  cluster_not_created: [
    'unsupported',
    'No engine of this installation can create a storage cluster. Set MAINSTAY_AREAS so that the embedded engine serves storage, or attach a cloud or a Ceph cluster.',
  ],
  disk_role: 'The disk {device} can be used as: {roles}',
  engine_one_node: [
    'engine_one_node',
    'This engine runs on one host, and {host} cannot be added to it or removed from it. To use several hosts, attach a cloud or a Ceph cluster. Registered hosts are still monitored.',
  ],
  file_changed: [
    'conflict',
    'The file {file} on {host} was changed in the meantime. Read it again, then repeat the change.',
  ],
  host_bridge_fault: [
    'node_unreachable',
    'cockpit-bridge on {host} does not follow its protocol: {reason}. Install the package cockpit-bridge of the distribution again.',
  ],
  host_bridge_missing: [
    'node_unreachable',
    'cockpit-bridge does not start on {host}: {reason}. Install it on the host: apt-get install cockpit-bridge',
  ],
  host_command_timeout: ['node_unreachable', 'The program {command} on {host} did not end in time and was stopped'],
  host_file: ['conflict', 'The file {file} on {host} could not be read or written: {reason}'],
  host_key_changed: [
    'node_unreachable',
    'The host key of {host} is not the registered one. If the host was installed again, delete the node and register it again. Otherwise another system answers at this address.',
  ],
  host_key_refused: [
    'node_unreachable',
    'The host {host} does not accept the key of this installation. Prepare a new installation of the node, and run its command on the host.',
  ],
  host_link_closed: ['node_unreachable', 'The connection to {host} was closed'],
  host_link_lost: ['node_unreachable', 'The connection to {host} was lost: {reason}'],
  host_needs_root: [
    'unsupported',
    'This requires root rights on {host}. Grant them on the host: echo "{user} ALL=(ALL) NOPASSWD: ALL" | sudo tee /etc/sudoers.d/mainstay',
  ],
  host_no_answer: [
    'node_unreachable',
    'The host {host} does not answer: {reason}. Check its address, and its SSH server.',
  ],
  host_no_shell: ['node_unreachable', 'The host {host} does not run basic commands such as sh and id'],
  host_output: ['node_unreachable', 'A program on {host} printed more than {most} bytes and was stopped'],
  hosts_not_read: ['unsupported', 'This server does not connect to hosts'],
  host_program_lldpctl:
    'lldpctl is not installed on {host}, so the switches that its interfaces are connected to are unknown. Install it on the host: apt-get install lldpd',
  host_program_missing: '{program} is not installed on {host}, so some facts are missing. Install it on the host.',
  host_program_smartctl:
    'smartctl is not installed on {host}, so the health of its disks is unknown. Install it on the host: apt-get install smartmontools',
  host_root_missing:
    'Some facts, such as the health of disks, require root rights on {host}. Grant them on the host: echo "{user} ALL=(ALL) NOPASSWD: ALL" | sudo tee /etc/sudoers.d/mainstay',
  host_timeout: ['node_unreachable', 'The host {host} did not answer in time'],
  maintenance_backend_left: 'The console and the API do not respond while this host is off',
  maintenance_backend_stays:
    'The management services run on this host only and cannot be moved. Leave them as they are (ignore).',
  maintenance_blocked: ['maintenance_blocked', 'Maintenance cannot begin: {reason}'],
  maintenance_ignores:
    '{count, plural, one {# virtual machine keeps} other {# virtual machines keep}} running. If the host is turned off or restarted, they are interrupted.',
  maintenance_immovable:
    '{count, plural, one {# virtual machine} other {# virtual machines}} cannot be moved while running: {names}. Shut them down, or let maintenance do it (suspend).',
  maintenance_moves: '{count, plural, one {# virtual machine moves} other {# virtual machines move}} to other hosts',
  maintenance_no_machines: 'No virtual machines are running on this host',
  maintenance_not_moved: [
    'conflict',
    'The virtual machine {name} was not moved to another host. Move it or shut it down, then try again.',
  ],
  maintenance_not_started: [
    'conflict',
    '{count, plural, one {The virtual machine {names} did not start again. Start it} other {# virtual machines did not start again: {names}. Start them}}, then end the maintenance again.',
  ],
  maintenance_not_stopped: ['conflict', 'The virtual machine {name} was not shut down. Shut it down, then try again.'],
  maintenance_nowhere:
    'There is no other host for {count, plural, one {# running virtual machine} other {# running virtual machines}}: {names}. Let maintenance shut them down (suspend), or leave them running (ignore).',
  maintenance_s3_left: 'Buckets and objects are not available while this host is off',
  maintenance_s3_stays: 'Object storage runs on this host only and cannot be moved. Leave it as it is (ignore).',
  maintenance_stops:
    '{count, plural, one {# virtual machine is} other {# virtual machines are}} shut down and started again when maintenance ends',
  maintenance_storage_left: 'The data on this host has no copies elsewhere. It is not available while the host is off.',
  maintenance_storage_stays:
    'The data on this host cannot be moved, because there is no other host. Choose “suspend” to suspend the storage, or “ignore” to leave it unchanged.',
  maintenance_unstoppable:
    '{count, plural, one {# virtual machine} other {# virtual machines}} cannot be shut down at the moment: {names}. Resume paused ones, repair or delete failed ones, and wait for running tasks.',
  no_such_disk: '{host} has no such disk',
  not_a_cache: 'Choose a disk that is used as a cache',
  no_cluster: [
    'no_cluster',
    'No cluster available. Set MAINSTAY_AREAS so that an engine serves storage, or attach a Ceph cluster.',
  ],
  node_assigned: ['node_in_use', '{host} belongs to the cluster. It can be deleted once it is offline.'],
  node_busy: ['invalid_state', '{host} is being changed by another task. Wait until it has ended.'],
  node_deleted: ['conflict', '{host} was deleted in the meantime'],
  node_in_maintenance: ['invalid_state', '{host} is already in maintenance, or entering or leaving it'],
  node_installing: [
    'invalid_state',
    'A new installation of {host} is being prepared. Cancel it first, or wait until it is complete.',
  ],
  node_joined: ['conflict', '{host} already belongs to the cluster'],
  node_not_in_maintenance: ['invalid_state', '{host} is not in maintenance'],
  node_not_installing: ['invalid_state', 'No new installation of {host} is being prepared'],
  node_not_ready: ['node_in_use', '{host} is in use. Put it into maintenance first, or wait until it is offline.'],
  node_not_released: ['invalid_state', '{host} does not belong to the cluster'],
  node_of_engine: [
    'unsupported',
    'The engine of the cloud reports {host}. Add and remove hosts in the cloud; this list follows.',
  ],
  node_offline: ['node_offline', '{host} is offline. Start it and check its network connection first.'],
  node_is_here: [
    'unsupported',
    'The platform itself runs on {host}. To move it to another host, restore a management backup there.',
  ],
  node_is_another:
    'Another system answers at the address of {host}: its machine ID is not the registered one. If the host was installed again, prepare a new installation of the node and run its command. Otherwise check the address.',
  node_known: [
    'conflict',
    'This host is already registered as {host}. To register it again, prepare a new installation of that node, or delete it.',
  ],
  node_name_taken: ['conflict', 'A node named {host} already exists. Rename this host, or delete the existing node.'],
  node_not_of_cloud: [
    'unsupported',
    '{host} is not a host of the cloud. Add it to the cloud; this list follows. Until then, it is monitored.',
  ],
  not_registered:
    'The host was not registered: {reason}. To remove the key of this installation from it, run: {command}',
  registered_account: 'Enter the name of an account on the host',
  registered_another: [
    'node_unreachable',
    'Another system answers at {address}: its machine ID is not the one that was reported. Check the address, and that its SSH port is not forwarded to another host.',
  ],
  registered_host_key: 'Enter a public host key, such as the content of ssh_host_ed25519_key.pub',
  registered_host_name: 'Enter a host name',
  registered_machine_id: 'Enter the content of /etc/machine-id: 32 hexadecimal digits',
  registration_plain:
    'The command fetches its script without encryption and runs it as root, so others in the network could replace it. Set MAINSTAY_TLS, or MAINSTAY_ADMIN_ADDRESS to an address with https.',
  registration_token: [
    'registration_token_invalid',
    'The registration token is wrong, has expired, or was used before. Create a new one in the console.',
  ],
  impact_data_cloud: 'The storage of {engine} holds the data. How many copies it keeps is not known here.',
  impact_data_elsewhere: 'No volumes are stored here',
  impact_data_lost:
    '{never} of {count, plural, one {# volume} other {# volumes}} have no recovery point and are lost. {week} have none from the last 7 days, {day} none from the last 24 hours.',
  impact_data_lost_with_points:
    '{count, plural, one {# volume is} other {# volumes are}} lost with the recovery points, which are on the same disk',
  impact_data_restorable:
    '{count, plural, one {# volume goes} other {# volumes go}} back to the last recovery point. {week} have none from the last 7 days, {day} none from the last 24 hours.',
  impact_data_stays: 'Volumes stay as they are',
  impact_data_unreachable:
    '{count, plural, one {# volume cannot} other {# volumes cannot}} be used until the host is back. Nothing is lost while its disks work.',
  impact_exports_disk: 'Objects in buckets are lost',
  impact_exports_elsewhere: 'Object storage is not served from here',
  impact_exports_none: 'Object storage is not set up',
  impact_exports_stop: 'Object storage stops until this works again',
  impact_help_backup: 'Set up a management backup',
  impact_help_backup_old: 'Create a new management backup. The last one is older than 24 hours, or there is none.',
  impact_help_backup_place: 'Store management backups on another disk',
  impact_help_points: 'Create recovery points of {count, plural, one {# volume} other {# volumes}}',
  impact_help_restart:
    'Enable automatic restart for {count, plural, one {# virtual machine} other {# virtual machines}}',
  impact_help_target: 'Store recovery points on another disk',
  impact_machines_continue: 'Running virtual machines continue',
  impact_machines_disk:
    '{count, plural, one {# running virtual machine stops} other {# running virtual machines stop}} because its disks are here',
  impact_machines_none: 'No virtual machines run here',
  impact_machines_only_host:
    '{count, plural, one {# running virtual machine stops} other {# running virtual machines stop}} until the host is back. No other host can start them.',
  impact_machines_restart:
    '{count, plural, one {# running virtual machine restarts} other {# running virtual machines restart}} on other hosts',
  impact_machines_some_restart:
    '{restarted} of {count} running virtual machines restart on other hosts. The others stop until the host is back.',
  impact_machines_stop:
    '{count, plural, one {# running virtual machine stops} other {# running virtual machines stop}} until the host is back',
  impact_management_backup:
    'All records go back to the management backup, which is {hours, plural, one {# hour} other {# hours}} old',
  impact_management_lost: 'All records are lost. There is no management backup on another disk.',
  impact_management_stays: 'Management continues',
  impact_management_stops: 'Management stops until this works again',
  location_default: ['conflict', 'The default locations of new nodes cannot be moved or deleted'],
  location_limit: ['conflict', 'There are already {most} locations. Delete some before you create others.'],
  location_name_taken: ['duplicate_name', 'A location with the name “{name}” already exists here'],
  location_not_empty: [
    'location_not_empty',
    '“{name}” is not empty: it contains {content}. Move or delete these first.',
  ],
  location_parent: '{domain, select, row {Specify the room of the row} other {Specify the row of the rack}}',
  location_parent_of_other:
    '{domain, select, room {A room is not in another location} row {A row is in a room, not in a row} other {A rack is in a row. Specify the row.}}',
  location_parent_unknown: [
    'not_found',
    '{domain, select, room {This room does not exist} other {This row does not exist}}',
  ],
  name_or_names: 'Specify either one name or several',
  no_such_node: ['not_found', 'There is no node with the ID {id}'],
  s3_endpoint: 'Enter the URL of the S3 endpoint, such as https://s3.example.com',
  secret_without_bucket: 'A folder has no secret key',
  too_many_names: 'Specify at most {most} names',
} as const
