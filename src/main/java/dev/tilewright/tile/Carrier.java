package dev.tilewright.tile;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Takes a record of tiles apart and puts it together. */
record Carrier<R extends Record>(Constructor<R> constructor, List<RecordComponent> components) {

    static <R extends Record> Carrier<R> of(R like) {
        @SuppressWarnings("unchecked")
        Class<R> type = (Class<R>) like.getClass();
        List<RecordComponent> components = List.of(type.getRecordComponents());
        components.stream().filter(c -> c.getType() != Tile.class).findFirst().ifPresent(c -> {
            throw new IllegalArgumentException("a loop carries tiles alone, and '" + c.getName() + "' of record "
                    + type.getSimpleName() + " is of type " + c.getType().getSimpleName()
                    + ": make it a Tile, such as full(…) of the number");
        });
        try {
            Constructor<R> constructor = type.getDeclaredConstructor(components.stream().map(RecordComponent::getType)
                    .toArray(Class<?>[]::new));
            constructor.setAccessible(true);
            return new Carrier<>(constructor, components);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    List<Tile> unpack(R tiles) {
        Objects.requireNonNull(tiles, "a loop's body carries on null");
        List<Tile> list = new ArrayList<>();
        for (RecordComponent component : components) {
            try {
                component.getAccessor().setAccessible(true);
                list.add(Objects.requireNonNull((Tile) component.getAccessor().invoke(tiles), () -> "a loop carries "
                        + "a tile in '" + component.getName() + "' of record " + tiles.getClass().getSimpleName()
                        + ", got null: give it one, such as zeros(…)"));
            } catch (IllegalAccessException | InvocationTargetException e) {
                throw new IllegalArgumentException("component '" + component.getName() + "' of what a loop carries "
                        + "cannot be read", e);
            }
        }
        return list;
    }

    R pack(List<Tile> tiles) {
        try {
            return constructor.newInstance(tiles.toArray());
        } catch (InstantiationException | IllegalAccessException | InvocationTargetException e) {
            throw new IllegalArgumentException("record " + constructor.getDeclaringClass().getSimpleName() + " of "
                    + Arrays.toString(constructor.getParameterTypes()) + " cannot be made", e);
        }
    }
}
