-- Stations that were paired, and those whose logs came another way.
create table station (
    id text primary key,
    name text not null default '',
    hashed text,                                 -- hash of its secret at the broker; null: it has no access
    paired_by text,
    paired_at timestamptz,
    retired_at timestamptz
);

-- The hub's copies: `have` bytes of each log, and a hash of the last row among them.
create table match (
    uid uuid primary key,
    station text not null,                       -- that it came from
    have bigint not null default 0,
    tail text not null default '',
    grown_at timestamptz not null default now(), -- order across boards: by arrival here
    projected bigint not null default -1,        -- bytes of which the projections below are made
    projection int not null default 0,           -- version of the program that made them
    began timestamptz,
    rules text,
    event jsonb
);
create index match_of_station on match (station, grown_at desc);

-- The logs themselves, byte for byte, in the pieces in which they came.
create table chunk (
    match uuid not null references match on delete cascade,
    o bigint not null,
    rows bytea not null,
    primary key (match, o)
);
alter table chunk alter column rows set compression lz4;

-- Projections: made from the logs, and made anew at will.
create table stroke (
    match uuid not null references match on delete cascade,
    n int not null,
    board int not null,
    seat text not null,
    person text not null default '',             -- id of the player, '' if nobody is named
    player text not null default '',
    played timestamptz,
    coins int not null,
    own int not null,
    queen boolean not null,
    fouls text[] not null,
    certain boolean not null,
    corrected boolean not null,
    speed_mm_s real,
    time_s real,
    legal boolean,
    limit_name text,                             -- limit of the base lines that was nearest or missed
    margin_mm real,
    sigma_mm real,
    primary key (match, n)
);
create index stroke_near on stroke (limit_name, abs(margin_mm)) where limit_name is not null;
create index stroke_of_player on stroke (lower(player), played) where player <> '';

create table result (
    match uuid not null references match on delete cascade,
    number int not null,                         -- of the match within its log
    player text not null,
    against text[] not null,                     -- names of the other side
    won boolean not null,
    points int not null,
    other_points int not null,
    played timestamptz,
    primary key (match, number, player)
);
create index result_of_player on result (lower(player), played);
